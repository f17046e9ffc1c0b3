# Sourced by the scripts that start a daemon.
# A daemon must keep no descriptor of whoever started it: the lock of the script would stay locked, and make waits at its
# end until nobody holds its pipe any more.
keep_nothing() {
    local fd
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        [ "$fd" -le 2 ] || exec {fd}>&-
    done
}
