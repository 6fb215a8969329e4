# SPDX-License-Identifier: Apache-2.0
"""Health for AI agents, on OpenTelemetry."""
