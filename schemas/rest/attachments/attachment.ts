/** Files of events (http-api: Attachments). */
import { z } from 'zod'

export const attachmentShows = ['image', 'text', 'view_hierarchy', 'none'] as const

export const AttachmentItem = z
  .object({
    id: z.string(),
    event_id: z.string().describe('32 hex digits.'),
    name: z.string(),
    type: z
      .string()
      .describe(
        'As the client named it: `event.attachment`, `event.minidump`, `event.view_hierarchy` and others.',
      ),
    content_type: z.string().nullable().describe('As the client named it. Nobody checked it.'),
    size: z.number().int().describe('Bytes.'),
    sha256: z.string(),
    received_at: z.string(),
    expires_at: z.string(),
    shows: z
      .enum(attachmentShows)
      .describe(
        'How it can be looked at: `image` with `inline=true`, `text` and `view_hierarchy` as a preview.',
      ),
  })
  .meta({
    id: 'Attachment',
    example: {
      id: '5b0f5f7a-9e10-4c3e-9d41-019ab2c47f00',
      event_id: '9ec79c33ec9942ab8353589fcb2e04dc',
      name: 'screenshot.png',
      type: 'event.attachment',
      content_type: 'image/png',
      size: 48_213,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      received_at: '2026-11-21T01:02:03.456Z',
      expires_at: '2027-02-19T01:02:03.456Z',
      shows: 'image',
    },
  })
export type AttachmentItem = z.infer<typeof AttachmentItem>

export const AttachmentList = z
  .object({ items: z.array(AttachmentItem) })
  .meta({ id: 'AttachmentList' })
export type AttachmentList = z.infer<typeof AttachmentList>

export const AttachmentQuery = z.strictObject({
  inline: z
    .stringbool()
    .optional()
    .describe('Show it instead of downloading it. Only for PNG, JPEG, WebP and GIF.'),
})

export const AttachmentPreview = z
  .object({
    text: z.string().describe('The beginning of the file.'),
    is_cut: z.boolean().describe('The file is longer.'),
  })
  .meta({ id: 'AttachmentPreview' })
export type AttachmentPreview = z.infer<typeof AttachmentPreview>
