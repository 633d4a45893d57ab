"""What leaves the app: tables safe for spreadsheets, scripts, settings and offline reports."""
