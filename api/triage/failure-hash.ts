/**
 * The grouping hash of the failures of a monitor, by which their issue is found: that of the
 * fingerprint which the workers give such events. Hashes of fingerprints never change.
 */
import { createHash } from 'node:crypto'

export interface MonitorIncident {
  readonly slug: string
  readonly environment: string
  /** Of the failure that opened the incident. */
  readonly kind: 'missed' | 'overrunning' | 'error'
}

const fingerprintPiece = 13

/** 32 hex digits. */
export function failureHash({ slug, environment, kind }: MonitorIncident): string {
  const pieces = [
    piece(0, 'fp'),
    piece(0, 'custom'),
    ...['cron', slug, environment, kind].map((text) => piece(fingerprintPiece, text)),
  ]
  return createHash('sha256').update(Buffer.concat(pieces)).digest('hex').slice(0, 32)
}

/** Kind, length in bytes (LEB128), text. */
function piece(kind: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = [kind]
  let rest = bytes.length
  while (rest >= 128) {
    head.push((rest & 127) | 128)
    rest >>>= 7
  }
  return Buffer.concat([Buffer.from([...head, rest]), bytes])
}
