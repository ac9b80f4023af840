"""Simulated tournaments: how often bots that remember deals are named, and honest ones."""
