'use strict'

// Says where modules are whose names leave no doubt, before Node.js asks package.json and the file system
// for each of them anew: 5,000 imports of a gateway, and a quarter of a second of every start. All other
// names are resolved as ever, and so are these where a program is not started by the launcher.

const path = require('path')
const registerHooks = require('module').registerHooks
const pathToFileURL = require('url').pathToFileURL

const source = pathToFileURL(path.join(path.dirname(__dirname), 'src')).href + '/'

function placeOf(name, importer) {
  // As "imports" in package.json has it. Packages have no such names: Node.js strips no types of theirs.
  if (/^#.*\.ts$/.test(name)) return { url: source + name.slice(1), format: 'module-typescript' }
  if (/^\.\.?\/.*\.mjs$/.test(name)) return { url: new URL(name, importer).href, format: 'module' }
  return null
}

registerHooks({
  resolve: function (name, context, next) {
    const place = placeOf(name, context.parentURL)
    return place ? Object.assign(place, { shortCircuit: true }) : next(name, context)
  },
})
