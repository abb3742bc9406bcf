import { allowsOrigin } from '#schemas/allowed-origin.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  type Reply,
  replyKeysUnavailable,
  replyOtherOrigin,
  replyOtherProject,
  replyUnknownKey,
} from '../http/replies.ts'
import type { DsnKey, KeyLookup } from '../keys/key-cache.ts'

export type Admission =
  | { readonly kind: 'admitted'; readonly key: DsnKey }
  | { readonly kind: 'refused'; readonly reply: Reply }
  /** The key is valid for the project, so the project's outcomes count the rejection. */
  | { readonly kind: 'refused_origin'; readonly reply: Reply; readonly key: DsnKey }

/**
 * Decides whether a key may send to the project in the path. Web pages (requests with an `Origin`)
 * must also be on the project's list of allowed origins. While the key store is unavailable, an
 * unknown key gets 503 and never 403.
 */
export function admitKey(
  lookup: KeyLookup,
  { projectText, origin }: { readonly projectText: string; readonly origin: string },
): Admission {
  if (lookup === 'unavailable') return { kind: 'refused', reply: replyKeysUnavailable }
  if (lookup === 'unknown' || !lookup.active) return { kind: 'refused', reply: replyUnknownKey }
  const isOwn =
    lookup.projectText === projectText || lookup.projectId === (Number(projectText) as ProjectId)
  if (!isOwn) return { kind: 'refused', reply: replyOtherProject }
  if (origin !== '' && !allowsOrigin(lookup.allowedOrigins, origin)) {
    return { kind: 'refused_origin', reply: replyOtherOrigin, key: lookup }
  }
  return { kind: 'admitted', key: lookup }
}
