/**
 * Recognises minified scripts without a source map. Every build renames their functions, so the
 * names of their frames are not stable. Part of g1: a change of any hash must be meant.
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

/** True when the browser made up the name after the last slash, which then never repeats. */
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
