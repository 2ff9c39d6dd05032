import { readFileSync } from 'node:fs'

// Loaded before a gateway whose own clock is wrong: milliseconds that a test writes to a file are added to
// the time of the machine, so that the test can also set the clock right while the gateway runs.
const path = process.env['MOVED_CLOCK_FILE'] ?? ''
const realNow = Date.now.bind(Date)

Date.now = () => realNow() + Number(readFileSync(path, 'utf8'))
