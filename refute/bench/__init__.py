"""How good a tester is: data sets of right and wrong code under the same claims."""
