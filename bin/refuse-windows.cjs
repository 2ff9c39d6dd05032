'use strict'

// A check of its own before `npm start`, whose script is one line for a POSIX shell.
if (process.platform === 'win32') {
  process.stderr.write(
    'On Windows Tillgate needs WSL 2: clone it and run it inside a Linux of WSL.\n' +
      'How to install one: https://learn.microsoft.com/windows/wsl/install\n',
  )
  process.exit(1)
}
