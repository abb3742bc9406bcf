/**
 * Scripts from a URL that were minified and met no source map: their function names are made anew by every build,
 * so a stack of them says nothing that lasts. Part of g1: frozen once shipped, a change is g2.
 */
import type { Frame } from '../../normalize/event.ts'

const minifiedNameUnitsMax = 2
const minifiedColumnMin = 500
const minifiedLineUnitsMin = 500

const urlOrigin = /^(?:https?|blob|data|applewebdata|capacitor|ionic):/
const unnamedOrigin = /^(?:data|blob|applewebdata):/

/** True when the code came from a server or a page, not from a disk or a source map. */
export function hasUrlOrigin(frame: Frame): boolean {
  const path = frame.abs_path ?? frame.filename ?? ''
  return urlOrigin.test(path)
}

/** True when the name after the last slash is made up by the browser and never the same twice. */
export function hasUnnamedOrigin(frame: Frame): boolean {
  const path = frame.abs_path ?? frame.filename ?? ''
  return unnamedOrigin.test(path)
}

/** Expects a frame with a URL origin, and its cleaned function name. */
export function looksMinified(frame: Frame, functionName: string): boolean {
  if (functionName.length > minifiedNameUnitsMax) return false
  const { colno = 0, context_line: line = '' } = frame
  return colno > minifiedColumnMin || line.length > minifiedLineUnitsMin
}
