#!/usr/bin/env node
'use strict'

const path = require('path')
const runNode26 = require('./node26.cjs').runNode26

const main = path.join(path.dirname(__dirname), 'src', 'apps', 'main.ts')

// The form's script has its types stripped at start, by a part of Node that calls itself experimental.
runNode26(['--disable-warning=ExperimentalWarning', main].concat(process.argv.slice(2)))
