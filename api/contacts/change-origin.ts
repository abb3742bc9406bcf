import type { Actor } from '../audit/audit-store.ts'

/** Where a person changed a contact or a suppression, as the contact's own events record it. */
export type ChangeOrigin = 'dashboard' | 'command_line'

/**
 * Who changed a contact, as the contact's events record it. They are part of the data that the
 * person behind the contact can download, so they hold the display name of the actor and not the
 * email.
 */
export interface ChangedBy {
  readonly name: string
  readonly ip: string | null
}

export function changeOrigin({ via }: Actor): ChangeOrigin {
  return via === 'command_line' ? 'command_line' : 'dashboard'
}
