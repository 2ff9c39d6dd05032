#!/usr/bin/env node
'use strict'

const path = require('path')
const runNode26 = require('./node26.cjs').runNode26

const main = path.join(path.dirname(__dirname), 'src', 'apps', 'main.ts')

const flags = [
  // Otherwise a SIGUSR1 opens a debugger, which reads every key and card number of the process.
  '--disable-sigusr1',
  '--require=' + path.join(__dirname, 'quick-imports.cjs'),
  // The form's script has its types stripped at start, by a part of Node that calls itself experimental.
  '--disable-warning=ExperimentalWarning',
  // What hundreds of calls hold while they wait for the database outlives the small nursery that Node has by
  // default, and is then copied twice and collected late: a third of the processor time of a charge.
  '--max-semi-space-size=32',
]

// Node.js reads from a socket into 64 KB and keeps as much as came. From this size on glibc maps each piece
// by itself and gives it back whole. Left alone it maps only larger ones, and ever larger ones: the others
// come from a heap, where what is given back lies in gaps, and a busy gateway grows. Whoever has set it
// knows better.
const threshold = 'MALLOC_MMAP_THRESHOLD_'
if (!process.env[threshold]) process.env[threshold] = String(64 * 1024)

runNode26(flags.concat(main, process.argv.slice(2)))
