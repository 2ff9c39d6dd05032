#!/usr/bin/env node
'use strict'

const path = require('path')
const runNode26 = require('./node26.cjs').runNode26

const main = path.join(path.dirname(__dirname), 'src', 'apps', 'main.ts')

const flags = [
  // The form's script has its types stripped at start, by a part of Node that calls itself experimental.
  '--disable-warning=ExperimentalWarning',
  // What hundreds of calls hold while they wait for the database outlives the small nursery that Node has by
  // default, and is then copied twice and collected late: a third of the processor time of a charge.
  '--max-semi-space-size=32',
]
runNode26(flags.concat(main, process.argv.slice(2)))
