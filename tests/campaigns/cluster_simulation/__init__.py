"""A cluster that this machine cannot hold: hosts and time are a model, the organiser is the real one."""
