/**
 * Errors whose stack and message differ every time although they are one problem for people: a
 * script of an older build that the server no longer has, and a page whose HTML does not match what
 * the client renders. Part of g1, data included: a change of any hash must be meant.
 */
import type { EventException, NormalizedEvent } from '../normalize/event.ts'
import { platformFamily } from './frames/platform-family.ts'
import { type Piece, piece } from './pieces.ts'

// cspell:ignore hydrat

const textUnitsMax = 1024

export function builtInFingerprint(
  event: NormalizedEvent,
  main: EventException | undefined,
): readonly Piece[] | undefined {
  if (main === undefined || platformFamily(event.platform) !== 'javascript') return undefined
  const { type, value: whole } = main
  // Nearly all errors have neither the type nor a word of these messages.
  if (!candidate.test(type) && !candidate.test(whole.slice(0, textUnitsMax))) return undefined

  const value = whole.slice(0, textUnitsMax)
  if (type === 'ChunkLoadError' || chunkLoad.test(value)) {
    return [piece('built-in', 'chunk-load-error')]
  }
  const mismatch = hydrationKind(value)
  if (mismatch === '') return undefined
  const pieces = [piece('built-in', 'hydration-error'), piece('built-in', mismatch)]
  // All frames are of the framework; only the page tells two of them apart.
  if (event.transaction !== '') pieces.push(piece('transaction', event.transaction))
  return pieces
}

const candidate =
  /chunk|dynamically imported|Importing a module script|preload CSS|hydrat|Minified React error|server-rendered HTML|server rendered|NG050/i

const chunkLoad =
  /^(?:Loading (?:CSS )?chunk [\w~./@-]{1,200} failed|Loading hot update chunk|Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS for |Failed to load chunk )/i

/**
 * React has a code for each kind, in builds for production instead of the text. Other frameworks
 * have one kind.
 */
function hydrationKind(value: string): string {
  const code = /Minified React error #(418|419|421|422|423|425)\b/.exec(value)
  // Older versions have a code of its own for a text that does not match.
  if (code !== null) return code[1] === '425' ? 'react-418' : `react-${code[1]!}`
  for (const [text, kind] of hydrationTexts) if (value.includes(text)) return kind
  const angular = /\bNG0(50\d)\b/.exec(value)
  return angular === null ? '' : `angular-${angular[1]!}`
}

const hydrationTexts = [
  ['Hydration failed because', 'react-418'],
  ["didn't match the client", 'react-418'],
  ['There was an error while hydrating this Suspense boundary', 'react-422'],
  ['This Suspense boundary received an update before it finished hydrating', 'react-421'],
  ['There was an error while hydrating', 'react-423'],
  ['Text content does not match server-rendered HTML', 'react-418'],
  ['Hydration completed but contains mismatches', 'vue'],
  ['Hydration node mismatch', 'vue'],
  ['Failed to hydrate the application', 'svelte'],
  ['hydration_mismatch', 'svelte'],
  ['hydration_failed', 'svelte'],
] as const
