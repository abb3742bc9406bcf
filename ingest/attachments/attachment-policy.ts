/** What a project wants done with attachments, from its settings as they are stored. */
import { attachmentMegabytesPerDay, MiB } from '#schemas/limits.ts'

export interface AttachmentPolicy {
  readonly bytesPerDayMax: number
}

/** Undefined for a project that does not keep attachments. */
export function attachmentPolicyOf(settings: unknown): AttachmentPolicy | undefined {
  if (typeof settings !== 'object' || settings === null) return undefined
  if (!('keep' in settings) || settings.keep !== true) return undefined
  const megabytes = 'megabytes_per_day' in settings ? settings.megabytes_per_day : undefined
  const valid = typeof megabytes === 'number' && megabytes > 0
  return { bytesPerDayMax: (valid ? megabytes : attachmentMegabytesPerDay) * MiB }
}
