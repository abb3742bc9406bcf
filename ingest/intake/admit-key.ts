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
import type { RequestHead } from './intake-request.ts'

export type Admission =
  | { readonly kind: 'admitted'; readonly key: DsnKey }
  | { readonly kind: 'refused'; readonly reply: Reply }
  /** The project is the sender's own, so that its books can tell. */
  | { readonly kind: 'refused_origin'; readonly reply: Reply; readonly key: DsnKey }

/**
 * A key opens its own project and no other, to all who are no web page, and to the pages that the project allows. That the store is
 * away is never held against a key.
 */
export function admitKey(
  lookup: KeyLookup,
  { projectText, origin }: Pick<RequestHead, 'projectText' | 'origin'>,
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
