/**
 * The name of a JavaScript function as all engines agree on it. V8, SpiderMonkey, JavaScriptCore,
 * Chakra and Hermes write one call in different ways: `Cart.addItem`, `Cart/this.addItem`,
 * `async*addItem`, `new Cart`, `[as alias]`. Part of g1: a change of any hash must be meant.
 */

import { remember } from './remember.ts'

const anonymous = new Set([
  '?',
  '',
  '<anonymous>',
  '(anonymous)',
  '<anonymous function>',
  'Anonymous function',
  'anonymous',
  'anonymous function',
  '<global>',
  '<module>',
  'global',
  'global code',
  'Global code',
  'module code',
])

const modifiers = new Set(['async', 'new', 'get', 'set', 'static', 'function', 'bound'])

export const cleanJavaScript = remember((raw) => {
  let name = raw.startsWith('at ') ? raw.slice(3) : raw
  const location = name.search(/[@(][a-z]{2,20}:/)
  if (location > 0) name = name.slice(0, location).trimEnd()
  if (anonymous.has(name)) return ''
  const alias = name.indexOf(' [as ')
  if (alias !== -1) name = name.slice(0, alias)
  // SpiderMonkey: `async*load`, and `outer/inner<` for a function in a function.
  const star = name.lastIndexOf('*')
  if (star !== -1) name = name.slice(star + 1)
  if (name.endsWith('<')) return ''
  // A bundler's function around a module is named by its path.
  if (name.includes('/') && modulePath.test(name)) return ''
  name = name.slice(name.lastIndexOf('/') + 1)
  name = name.slice(name.lastIndexOf('.') + 1)
  const words = name.split(' ')
  while (words.length > 1 && modifiers.has(words[0]!)) words.shift()
  name = words.join(' ')
  if (name.endsWith(' (native)')) name = name.slice(0, -9)
  if (name.startsWith('#')) name = name.slice(1)
  return anonymous.has(name) || allDigits.test(name) ? '' : name
})

/** Bundlers name a module's function by the number of the module. */
const allDigits = /^\d+$/
const modulePath = /\.(?:[cm]?[jt]sx?|vue|svelte|json)$/

/** Functions of engines, which only some of them list, written like a method of a global object. */
export function isEngineFunction(name: string): boolean {
  const dot = name.indexOf('.')
  if (dot === -1) return false
  const start = name.startsWith('new ') ? 4 : name.startsWith('async ') ? 6 : 0
  return engineObjects.has(name.slice(start, dot))
}

const engineObjects = new Set([
  'Array',
  'Map',
  'Set',
  'WeakMap',
  'Promise',
  'String',
  'JSON',
  'RegExp',
  'Reflect',
  'Generator',
  'AsyncGenerator',
  'Iterator',
])

/**
 * SpiderMonkey lists who started a callback; the other engines end the stack there. Such a frame
 * and its callers are not compared.
 */
export function isCallbackOrigin(name: string): boolean {
  if (name.length < 8) return false
  const star = name.indexOf('*')
  if (star < 7) return false
  const origin = name.slice(0, star)
  return (
    origin.endsWith(' handler') || origin.endsWith(' callback') || origin.endsWith('.handleEvent')
  )
}

const inlinedHelpers = new Set([
  'fulfilled',
  'rejected',
  'step',
  'next',
  'Object.next',
  'Generator.next',
  '__awaiter',
])

export function isHelperName(name: string | undefined): boolean {
  return name !== undefined && inlinedHelpers.has(name)
}

/** Helpers that compilers put into a bundle; which of them are called differs by target. */
export const javaScriptHelpers: ReadonlySet<string> = new Set([
  'asyncGeneratorStep',
  '_asyncToGenerator',
  '_next',
  '_throw',
  '_callSuper',
  '_createSuper',
  '__awaiter',
  '__generator',
  '__async',
  '__spreadArray',
  '_regeneratorRuntime',
  '_regenerator',
  'tryCatch',
  'processTicksAndRejections',
  'sentryWrapped',
  '__webpack_require__',
  '__webpack_modules__',
  'webpackJsonpCallback',
])
