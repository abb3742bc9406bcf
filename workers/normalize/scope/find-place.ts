/**
 * Finds the place of the user's address before scrubbing: as in Sentry, a project that does not
 * store addresses keeps the place. Without an address of the user there is no place.
 */
import type { Draft } from '../draft.ts'
import { readPlatform } from '../normalize-names.ts'
import { Notes } from '../values/notes.ts'
import { readObject } from '../values/read-value.ts'
import { readIp } from './normalize-user.ts'

export function findPlace(draft: Draft): void {
  const { raw, sent } = draft
  const { placeOf } = raw
  if (placeOf === undefined) return
  const address = readIp(readObject(sent.user)?.['ip_address'], {
    platform: readPlatform(sent.platform) ?? 'other',
    address: raw.connection ?? '',
    remoteAddress: readObject(readObject(sent.request)?.['env'])?.['REMOTE_ADDR'],
    inferIp: readObject(readObject(sent.sdk)?.['settings'])?.['infer_ip'],
    sentPayload: raw.payload,
    notes: new Notes(),
  })
  if (address !== '') draft.place = placeOf(address)
}
