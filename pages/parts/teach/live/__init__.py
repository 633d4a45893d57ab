"""The live board: JavaScript that runs in the browser alone, one file a job."""
