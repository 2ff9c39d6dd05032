'use strict'

// Run by itself before `npm start`, whose script is a line for a POSIX shell.
function refuseWindows() {
  if (process.platform !== 'win32') return
  process.stderr.write(
    'On Windows Tillgate needs WSL 2: clone it and run it inside a Linux of WSL.\n' +
      'How to install one: https://learn.microsoft.com/windows/wsl/install\n',
  )
  process.exit(1)
}

exports.refuseWindows = refuseWindows

if (require.main === module) refuseWindows()
