"""The domain, pure: knows neither the server nor the terminal."""
