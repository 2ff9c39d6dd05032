#!/usr/bin/env node
'use strict'

const path = require('path')
const runNode26 = require('./node26.cjs').runNode26

const main = path.join(path.dirname(__dirname), 'src', 'apps', 'main.ts')

runNode26([main].concat(process.argv.slice(2)))
