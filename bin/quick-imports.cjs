'use strict'

// Says where modules are whose names leave no doubt, before Node.js asks package.json and the file system
// for each of them anew: 5,000 imports of a gateway, and a quarter of a second of every start. Whatever is
// not simply there Node.js finds, or refuses, itself, as it does all other names. Hooks that somebody
// preloads with --require are not asked for these names; with --import they are.

const fs = require('fs')
const path = require('path')
const registerHooks = require('module').registerHooks
const { fileURLToPath, pathToFileURL } = require('url')

const project = pathToFileURL(path.dirname(__dirname)).href + '/'

const isOurs = (importer) => importer.startsWith(project) && !importer.includes('/node_modules/')

// No dots at the beginning of a folder, so that no name leads out of src.
const ownName = /^#(?:[\w-]+\/)*[\w-][\w.-]*\.ts$/
const relativeModule = /^\.\.?\/[\w./-]+\.mjs$/

function placeOf(name, importer) {
  if (!importer) return null
  // As "imports" in package.json has it.
  if (ownName.test(name) && isOurs(importer))
    return { url: `${project}src/${name.slice(1)}`, format: 'module-typescript' }
  if (relativeModule.test(name) && importer.startsWith('file:'))
    return { url: new URL(name, importer).href, format: 'module' }
  return null
}

const found = new Map()

// Neither missing nor a link, which is a module at the place that it leads to.
function isThere(url) {
  if (!found.has(url)) {
    const file = fileURLToPath(url)
    found.set(url, filesOf(path.dirname(file)).has(path.basename(file)))
  }
  return found.get(url)
}

const folders = new Map()

function filesOf(folder) {
  if (!folders.has(folder)) folders.set(folder, new Set(readFiles(folder)))
  return folders.get(folder)
}

function readFiles(folder) {
  try {
    if (fs.realpathSync.native(folder) !== folder) return []
    const entries = fs.readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
  } catch {
    return []
  }
}

registerHooks({
  resolve: function (name, context, next) {
    const place = placeOf(name, context.parentURL)
    return place && isThere(place.url)
      ? { url: place.url, format: place.format, shortCircuit: true }
      : next(name, context)
  },
})
