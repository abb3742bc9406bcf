import type { Actor } from '../audit/audit-store.ts'

/** Where a person changed a contact or a suppression, as the contact's own events record it. */
export type ChangeOrigin = 'dashboard' | 'command_line'

export function changeOrigin({ via }: Actor): ChangeOrigin {
  return via === 'command_line' ? 'command_line' : 'dashboard'
}
