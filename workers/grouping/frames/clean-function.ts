/**
 * Removes from function names what compilers, proxies and bundlers add. An empty result means that
 * the frame has no usable name. Part of g1: a change of any hash must be meant.
 */

import { cutText } from '../text/cut-text.ts'
import { cleanCsharp } from './clean-csharp-function.ts'
import { cleanJavaScript } from './clean-javascript-function.ts'
import { cleanNativeFunction } from './clean-native-function.ts'
import type { PlatformFamily } from './platform-family.ts'

// cspell:ignore anonfun deferwrap gowrap

const functionUnitsMax = 1024

export function cleanFunction(family: PlatformFamily, raw: string): string {
  if (raw === '') return ''
  const name = raw.length > functionUnitsMax ? cutText(raw, functionUnitsMax) : raw
  switch (family) {
    case 'javascript':
      return cleanJavaScript(name)
    case 'jvm':
      return cleanJvm(name)
    case 'php':
      return cleanPhp(name)
    case 'ruby':
      return cleanRuby(name)
    case 'csharp':
      return cleanCsharp(name)
    case 'native':
      return cleanNativeFunction(name)
    case 'python':
      return cleanPython(name)
    case 'go':
      return cleanGo(name)
    case 'other':
      if (name === '?' || name === '<anonymous>' || name === '<unknown>') return ''
      return cleanOther(name)
  }
}

function cleanOther(name: string): string {
  // Dart names a closure in two ways.
  if (name.includes('<fn>')) return name.replaceAll('<fn>', '<anonymous closure>')
  // Elixir: `Cart."-add/1-fun-0-"/1` as the runtime names it, `anonymous fn/1 in Cart.add/1`.
  if (name.startsWith('anonymous fn/'))
    return name.replace(/^anonymous fn\/\d{1,3}/, 'anonymous fn')
  if (!name.includes('."-')) return name
  return name.replace(
    /^(.{0,512})\."-([^"]{1,256}?)-(?:fun|(?:lc|lbc|mc|inlined)[^"]{0,64}?)-\d{1,9}-"\/\d{1,3}$/,
    'anonymous fn in $1.$2',
  )
}

function cleanPython(name: string): string {
  if (name === '?' || name === '<unknown>') return ''
  // `Cart.add` and `run.<locals>.inner` are qualified names, which only some versions send.
  return name.slice(name.lastIndexOf('.') + 1)
}

/** The compiler numbers closures: `Add.func1.2`, `Add.func1.gowrap2`, `Add-fm`, `Map[...]`. */
function cleanGo(name: string): string {
  if (name === '?' || name === '<unknown>') return ''
  let cleaned = name.includes('[') ? name.replace(/\[[^[\]]{0,512}\]/g, '[…]') : name
  if (cleaned.endsWith('-fm')) cleaned = cleaned.slice(0, -3)
  if (!goNumbered.test(cleaned)) return cleaned
  return cleaned.replace('glob..func', 'init.func').replace(goOrdinals, '.func')
}

const goNumbered = /[.-](?:func|gowrap|deferwrap|init|range)?\d/
/** All numbers of nested closures together, because moving one renumbers the others. */
const goOrdinals = /(?:[.-](?:func|gowrap|deferwrap|range)?\d{1,9}){1,9}(?=\.|$)/g

function cleanJvm(raw: string): string {
  let name = raw
  if (!name.includes('$') && !name.includes('-')) return name
  // Java: `lambda$save$0`; R8 adds the class: `lambda$save$0$com-shop-Cart`.
  const java = /^lambda\$(.{1,512}?)\$\d{1,9}(?:\$|$)/.exec(name)
  if (java !== null) return `${java[1]!}.lambda`
  if (name.startsWith('lambda$')) return ''
  // Kotlin: an accessor, a default argument, a lambda named after the function it is in.
  if (name.startsWith('access$')) name = name.slice(7)
  const kotlin = name.search(/\$(?:lambda|default|suspendImpl|suspendConversion)(?:[$-]|$)/)
  if (kotlin > 0) return name.slice(0, kotlin)
  // An inline class mangles its methods: `add-3xY2a_Q`.
  const mangled = /^(\w{1,200})-(?:impl|[\w-]{7})$/.exec(name)
  if (mangled !== null) return mangled[1]!
  // Scala: `$anonfun$run$1`, in version 3 `run$$anonfun$1`.
  const scala = /^\$anonfun\$(.{1,512}?)\$\d{1,9}(?:\$|$)/.exec(name)
  if (scala !== null) return `${scala[1]!}.lambda`
  const scala3 = name.indexOf('$$anonfun$')
  if (scala3 > 0) return `${name.slice(0, scala3)}.lambda`
  const specialized = name.indexOf('$mc')
  if (specialized > 0) return name.slice(0, specialized)
  return name.replace(/(?:\$\d{1,9}|__\d{1,9})$/, '')
}

function cleanPhp(raw: string): string {
  let name = raw
  const anonymous = name.indexOf('@anonymous')
  if (anonymous !== -1) {
    const end = anonymous + '@anonymous'.length
    const method = name.slice(end).search(/::|->/)
    name = name.slice(0, end) + (method === -1 ? '' : name.slice(end + method))
  }
  // Symfony and Twig put a hash into the classes that they compile.
  if (name.startsWith('Container') || name.includes('__TwigTemplate_')) {
    name = name
      .replace(/^Container\w{7}(?=\\)/, 'Container*')
      .replace(/(?<=__TwigTemplate_)[0-9a-f]{32,64}/, '*')
  }
  const closure = name.indexOf('{closure')
  if (closure === -1) return name
  // `App\Cart::App\{closure}`, since 8.4 `App\Cart::{closure:App\Cart::add():12}`; the namespace
  // stands before the closure only in older versions.
  const method = Math.max(name.lastIndexOf('::', closure), name.lastIndexOf('->', closure))
  return `${method === -1 ? '' : name.slice(0, method + 2)}{closure}`
}

function cleanRuby(raw: string): string {
  if (raw.startsWith('block in ') || /^block \(\d{1,9} levels\) in /.test(raw)) return 'block'
  let name = raw
  const part = /^(?:rescue|ensure) (?:\(\d{1,9} levels\) )?in /.exec(name)
  if (part !== null) name = name.slice(part[0].length)
  // Since 3.4 a name has its class: `Shop::Cart#add`, `Shop::Cart.build`.
  if (/^[A-Z]/.test(name))
    name = name.slice(Math.max(name.lastIndexOf('#'), name.lastIndexOf('.')) + 1)
  if (name.includes('__')) return name.replace(/_{2,4}-?\d{1,24}_\d{1,24}$/, '')
  return name
}
