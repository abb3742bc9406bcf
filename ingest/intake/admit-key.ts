import type { ProjectId } from '#schemas/ids.ts'
import {
  type Reply,
  replyKeysUnavailable,
  replyOtherProject,
  replyUnknownKey,
} from '../http/replies.ts'
import type { DsnKey, KeyLookup } from '../keys/key-cache.ts'

export type Admission =
  | { readonly kind: 'admitted'; readonly key: DsnKey }
  | { readonly kind: 'refused'; readonly reply: Reply }

/** A key opens its own project and no other. That the store is away is never held against a key. */
export function admitKey(lookup: KeyLookup, projectText: string): Admission {
  if (lookup === 'unavailable') return { kind: 'refused', reply: replyKeysUnavailable }
  if (lookup === 'unknown' || !lookup.active) return { kind: 'refused', reply: replyUnknownKey }
  const isOwn =
    lookup.projectText === projectText || lookup.projectId === (Number(projectText) as ProjectId)
  if (!isOwn) return { kind: 'refused', reply: replyOtherProject }
  return { kind: 'admitted', key: lookup }
}
