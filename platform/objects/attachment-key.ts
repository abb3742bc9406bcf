/**
 * The key of an attachment's object: its day, project and SHA-256. Ingest writes only to the
 * present day, and objects are removed only when their day is long over. So a content that is sent
 * again can never be removed between its upload and its record, and needs no lock.
 */
export interface AttachmentObject {
  readonly projectId: number
  /** Day on which it was stored, in UTC: `2026-11-23`. */
  readonly storedOn: string
  /** 64 lowercase hex digits. */
  readonly sha256: string
}

const prefix = 'attachments/'

export function attachmentKey({ projectId, storedOn, sha256 }: AttachmentObject): string {
  return `${attachmentProjectPrefix(projectId, storedOn)}${sha256.slice(0, 2)}/${sha256}`
}

/** All objects of a day. */
export function attachmentDayPrefix(storedOn: string): string {
  return `${prefix}${storedOn}/`
}

/** All objects of a day and project. */
export function attachmentProjectPrefix(projectId: number, storedOn: string): string {
  return `${attachmentDayPrefix(storedOn)}${projectId}/`
}

const keyPattern = /^attachments\/(\d{4}-\d\d-\d\d)\/(\d{1,15})\/[0-9a-f]{2}\/([0-9a-f]{64})$/

/** Undefined for a file that is not an attachment. */
export function readAttachmentKey(key: string): AttachmentObject | undefined {
  const [, storedOn, project, sha256] = keyPattern.exec(key) ?? []
  if (storedOn === undefined || project === undefined || sha256 === undefined) return undefined
  return { projectId: Number(project), storedOn, sha256 }
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
