/** The fingerprint that a rule of the project gives an event. */
import {
  type Fingerprint,
  type FingerprintSubject,
  variablePiece,
} from '../fingerprint-variables.ts'
import { type Piece, piece } from '../pieces.ts'
import type { Trace } from '../trace.ts'
import type { CompiledFingerprintRule } from './match-fingerprint-rule.ts'

export function resolveRule(
  subject: FingerprintSubject,
  { parts }: CompiledFingerprintRule,
  trace: Trace | undefined,
): Fingerprint {
  let hasDefault = false
  const pieces: Piece[] = []
  for (const part of parts) {
    if (part.kind === 'text') pieces.push(piece('fingerprint', part.text))
    else if (part.name === 'default') hasDefault = true
    else pieces.push(variablePiece(subject, part.name, trace))
  }
  // `{{ default }}` alone takes away the fingerprint of the client.
  if (pieces.length === 0) return { kind: 'default', pieces }
  return { kind: hasDefault ? 'hybrid' : 'custom', pieces }
}
