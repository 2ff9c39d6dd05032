// Runs inside the frame that showed the payer's bank, and tells our own page around it that the payer is
// back.
window.parent.postMessage('tillgate:back', window.location.origin)
