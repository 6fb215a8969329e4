# SPDX-License-Identifier: Apache-2.0
"""Fold events into numbers: windows and counts, no thresholds."""
