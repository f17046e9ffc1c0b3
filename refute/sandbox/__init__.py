"""Jobs in hardened throwaway containers, and the image they run in."""
