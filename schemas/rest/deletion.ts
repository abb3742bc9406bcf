/** Deletions of projects and organizations, erasures of people, and their receipts. */
import { z } from 'zod'

export const Confirmation = z
  .object({
    confirm: z
      .string()
      .max(200)
      .describe('The name of what is deleted, as it is displayed. It confirms the deletion.'),
  })
  .meta({ example: { confirm: 'Shop' } })

export const DeletionItem = z
  .object({
    id: z.uuid(),
    kind: z.enum(['project', 'organization', 'person']),
    state: z
      .enum(['removing', 'waiting_for_stream', 'sweeping', 'done'])
      .describe(
        '`waiting_for_stream`: events that were received before the request are still being digested.',
      ),
    project_ids: z.array(z.uuid()).describe('The projects that the deletion covers.'),
    subject_hash: z
      .string()
      .nullable()
      .describe('Keyed hash of the erased person: equal requests have equal hashes.'),
    requested_by: z
      .uuid()
      .nullable()
      .describe('Id of the person who requested it; null for the command line.'),
    requested_via: z.enum(['login', 'token', 'command_line']),
    requested_at: z.iso.datetime(),
    waits_until: z.iso
      .datetime()
      .describe('The deletion stops waiting for events on their way at this time.'),
    finished_at: z.iso.datetime().nullable(),
    rows: z
      .record(z.string(), z.number().int())
      .describe('Rows that were deleted or changed, by table.'),
    remaining: z.array(z.string()).describe('What may still exist elsewhere, and for how long.'),
  })
  .meta({
    id: 'Deletion',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      kind: 'project',
      state: 'done',
      project_ids: ['019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a11'],
      subject_hash: null,
      requested_by: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a12',
      requested_via: 'login',
      requested_at: '2026-11-22T12:00:00.000Z',
      waits_until: '2026-11-23T12:00:00.000Z',
      finished_at: '2026-11-22T12:00:14.000Z',
      rows: { issues: 120, hash_sums: 124, 'clickhouse.events': 50321 },
      remaining: ['Backups contain the data until they expire.'],
    },
  })
export type DeletionItem = z.infer<typeof DeletionItem>

export const DeletionPage = z.object({
  items: z.array(DeletionItem),
  next_cursor: z.string().nullable(),
})

const person = {
  email: z.string().max(1_100).optional().describe('Email address, in any spelling.'),
  user_id: z
    .string()
    .max(512)
    .optional()
    .describe('Id of the user in events, sessions and portals. Compared as a whole.'),
  address: z.string().max(100).optional().describe('IPv4 or IPv6 address.'),
}
const personExample = { email: 'ada@example.com', user_id: 'user-4711' }

export const PersonQuery = z.object(person).meta({ example: personExample })
export const PersonBody = z.strictObject(person).meta({ example: personExample })
export type PersonBody = z.infer<typeof PersonBody>

export const PersonDataCounts = z
  .object({
    rows: z.record(z.string(), z.number().int()).describe('Rows that name the person, by table.'),
    subject_hash: z.string().describe('The hash that a receipt of an erasure will have.'),
  })
  .meta({
    id: 'PersonDataCounts',
    example: { rows: { contacts: 1, 'clickhouse.events': 17 }, subject_hash: '6f1c0f…' },
  })
