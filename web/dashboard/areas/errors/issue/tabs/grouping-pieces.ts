/** The pieces of an explanation as rows for people; module and function are one frame. */
import { listOf, textOf } from '../payload/fields.ts'

export interface PieceRow {
  readonly label: string
  readonly value: string
}

const labels: Readonly<Record<string, string>> = {
  value: 'Message',
  message: 'Message',
  signal: 'Signal',
  'ns-domain': 'Error domain',
  'ns-code': 'Error code',
  directive: 'Directive',
  'blocked-host': 'Blocked host',
  fingerprint: 'Fingerprint',
  'fingerprint-missing': 'Fingerprint without value',
  'fingerprint-unknown': 'Unknown variable',
  checksum: 'Checksum',
  fallback: 'Project',
  limit: 'Limit',
  more: 'More',
  'built-in': 'Built-in rule',
  transaction: 'Transaction',
}
const places = new Set(['module', 'file'])
const actions = new Set(['function', 'context', 'address'])

/** In the order of their weight, as grouping wrote them. */
export function pieceRows(pieces: readonly unknown[]): readonly PieceRow[] {
  const rows: PieceRow[] = []
  let hasType = false
  let hasFrame = false
  let place = ''
  const endFrame = (action: string) => {
    if (place === '' && action === '') return
    const value = place === '' || action === '' ? place + action : `${place} in ${action}`
    rows.push({ label: hasFrame ? 'Called by' : 'Failed in', value })
    hasFrame = true
    place = ''
  }
  for (const piece of pieces) {
    const [kind = '', value = ''] = listOf(piece).map(textOf)
    if (actions.has(kind)) endFrame(value)
    else {
      endFrame('')
      if (places.has(kind)) place = value
      else if (kind === 'type') {
        rows.push({ label: hasType ? 'Further exception' : 'Exception type', value })
        hasType = true
        // The frames of each exception begin again.
        hasFrame = false
      } else rows.push({ label: labels[kind] ?? kind, value })
    }
  }
  endFrame('')
  return rows
}

const kindNames: Readonly<Record<string, string>> = {
  number: 'number',
  int: 'number',
  float: 'number',
  hex: 'hexadecimal id',
  git_sha: 'hexadecimal id',
  sha1: 'SHA-1',
  md5: 'MD5',
  uuid: 'UUID',
  id: 'id',
  random_id: 'id',
  email: 'email address',
  url: 'URL',
  query: 'query of a URL',
  hostname: 'host name',
  ip: 'IP address',
  mac: 'MAC address',
  date: 'date or time',
  duration: 'duration',
  size: 'size',
  path: 'path',
  pod: 'name of a pod',
  phone: 'phone number',
  version: 'version',
  token: 'token',
  json: 'JSON body',
  list: 'list of values',
  comment: 'comment',
  savepoint: 'savepoint',
  quoted_str: 'quoted value',
  bool: 'true or false',
  traceparent: 'trace id',
  swift_txn_id: 'transaction id',
}

/** `2 × number, 1 × email address` */
export function replacedText(
  variables: readonly { readonly kind: string; readonly count: number }[],
): string {
  return variables.map(({ kind, count }) => `${count} × ${kindNames[kind] ?? kind}`).join(', ')
}
