import { z } from 'zod'
import { FilterText, PageQuery, pageOf } from './page.ts'

export const AuditQuery = z.strictObject({
  ...PageQuery,
  action: FilterText.optional().describe(
    'Only entries whose action contains this text, in any case: `newsletter.created`, `newsletter`, `deleted`.',
  ),
  subject_id: FilterText.optional(),
  person_id: z.guid().optional(),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export const AuditItem = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    actor: z
      .string()
      .describe(
        'Email address of the person or label of the access token at that time; `admin` for the command line.',
      ),
    person_id: z.uuid().nullable(),
    via: z.enum(['login', 'token', 'command_line']),
    action: z.string(),
    subject_type: z.string(),
    subject_id: z.string().nullable(),
    subject_name: z
      .string()
      .nullable()
      .describe('Present name of the subject; null if it has none or was deleted.'),
    project_id: z
      .uuid()
      .nullable()
      .describe('Project of the subject; null if it belongs to none or was deleted.'),
    details: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
  })
  .meta({
    id: 'AuditItem',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      at: '2026-11-21T09:30:00.000Z',
      actor: 'owner@demo.test',
      person_id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a11',
      via: 'login',
      action: 'newsletter.created',
      subject_type: 'newsletter',
      subject_id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a12',
      subject_name: 'Weekly',
      project_id: null,
      details: { slug: 'weekly' },
      ip: '192.0.2.7',
    },
  })
export type AuditItem = z.infer<typeof AuditItem>

export const AuditList = pageOf(AuditItem)
