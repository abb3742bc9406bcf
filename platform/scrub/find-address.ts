/**
 * Finds IP addresses within a text. Four numbers between dots count as one even when they are a
 * version number, because the two cannot be distinguished.
 */
import { isIP } from 'node:net'
import type { Span } from './spans.ts'

const versionFourCharactersMax = 15
const versionSixCharactersMax = 45

/** @param index of the first digit of a row of digits. */
export function findVersionFour(text: string, index: number): Span | undefined {
  if (isWordOrDot(text.charCodeAt(index - 1))) return undefined
  let end = index
  while (end - index <= versionFourCharactersMax && isDigitOrDot(text.charCodeAt(end))) end += 1
  while (text[end - 1] === '.') end -= 1
  return isIP(text.slice(index, end)) === 4 ? { start: index, end } : undefined
}

/** @param index of a colon. */
export function findVersionSix(text: string, index: number): Span | undefined {
  let start = index
  while (index - start <= versionSixCharactersMax && isHexOrColon(text.charCodeAt(start - 1)))
    start -= 1
  let end = index
  while (end - start <= versionSixCharactersMax && isHexColonOrDot(text.charCodeAt(end))) end += 1
  while (text[end - 1] === '.') end -= 1
  const candidate = text.slice(start, end)
  // `dead::beef` is more often the name of a function.
  return /\d/.test(candidate) && isIP(candidate) === 6 ? { start, end } : undefined
}

function isDigitOrDot(unit: number): boolean {
  return (48 <= unit && unit <= 57) || unit === 46
}

function isWordOrDot(unit: number): boolean {
  return isHexOrColon(unit) ? unit !== 58 : unit === 46 || (103 <= unit && unit <= 122)
}

function isHexOrColon(unit: number): boolean {
  return (48 <= unit && unit <= 58) || (97 <= unit && unit <= 102) || (65 <= unit && unit <= 70)
}

function isHexColonOrDot(unit: number): boolean {
  return isHexOrColon(unit) || unit === 46
}
