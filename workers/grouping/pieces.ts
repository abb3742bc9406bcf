/**
 * The input of the hash: a list of typed texts. Each is written as kind byte, length (LEB128) and
 * UTF-8 bytes, so two different lists never give the same bytes.
 *
 * The prefix names the algorithm and the domain. `app` and `system` share the domain `stack` on
 * purpose: equal pieces give equal hashes, so one hash is emitted instead of two, and an event
 * whose frames are all in-app matches a later one with only some in-app frames. Part of g1: a
 * change of any hash must be meant.
 */
import { hash } from 'node:crypto'

const kindBytes = {
  type: 1,
  value: 2,
  module: 3,
  file: 4,
  function: 5,
  context: 6,
  address: 7,
  'ns-domain': 8,
  'ns-code': 9,
  directive: 10,
  'blocked-host': 11,
  message: 12,
  fingerprint: 13,
  'fingerprint-missing': 14,
  'fingerprint-unknown': 15,
  checksum: 16,
  fallback: 17,
  signal: 18,
  'built-in': 19,
  transaction: 20,
} as const

export type PieceKind = keyof typeof kindBytes

export interface Piece {
  readonly kind: PieceKind
  readonly value: string
  /** Shown in explanations instead of a value that may be personal data. */
  readonly shown: string | undefined
}

/**
 * The kind of evidence. `custom` is chosen by the client and outlives the algorithm, so it has its
 * own prefix.
 */
export type HashDomain =
  | 'stack'
  | 'value'
  | 'security'
  | 'message'
  | 'fallback'
  | 'built-in'
  | 'coarse'
  | 'custom'

export function piece(kind: PieceKind, value: string): Piece {
  return { kind, value, shown: undefined }
}

export function samePieces(left: readonly Piece[], right: readonly Piece[]): boolean {
  if (left === right) return true
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) {
    const a = left[index]!
    const b = right[index]!
    if (a.kind !== b.kind || a.value !== b.value) return false
  }
  return true
}

/** The first 128 bits of SHA-256, as 32 hex digits. Kept for a frozen list of a stack. */
export function hashPieces(domain: HashDomain, pieces: readonly Piece[]): string {
  const isKept = domain === 'stack' && Object.isFrozen(pieces)
  const known = isKept ? stackHashes.get(pieces) : undefined
  if (known !== undefined) return known
  const digest = hash('sha256', serializePieces(domain, pieces), 'hex').slice(0, 32)
  if (isKept) stackHashes.set(pieces, digest)
  return digest
}

const stackHashes = new WeakMap<readonly Piece[], string>()

const scratchBytes = 64 * 1024
const scratch = Buffer.alloc(scratchBytes)

/** The bytes are valid until the next call, unless they were too many for the shared scratch. */
export function serializePieces(domain: HashDomain, pieces: readonly Piece[]): Uint8Array {
  // No UTF-16 unit takes more than 3 bytes of UTF-8; kind and length take at most 6.
  let bytesMax = 64
  for (const { value } of pieces) bytesMax += 6 + 3 * value.length
  const target = bytesMax <= scratchBytes ? scratch : Buffer.alloc(bytesMax)

  let end = writePiece(target, 0, 0, domain === 'custom' ? 'fp' : 'g1')
  end = writePiece(target, end, 0, domain)
  for (const { kind, value } of pieces) end = writePiece(target, end, kindBytes[kind], value)
  return target.subarray(0, end)
}

function writePiece(target: Buffer, start: number, kindByte: number, value: string): number {
  target[start] = kindByte
  if (value.length < 128) {
    // Nearly every piece is short ASCII, for which this loop is faster than a native call.
    let index = 0
    for (; index < value.length; index++) {
      const unit = value.charCodeAt(index)
      if (unit >= 128) break
      target[start + 2 + index] = unit
    }
    if (index === value.length) {
      target[start + 1] = index
      return start + 2 + index
    }
  }
  let end = start + 1
  let rest = Buffer.byteLength(value, 'utf8')
  while (rest >= 128) {
    target[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  target[end++] = rest
  return end + target.write(value, end, 'utf8')
}
