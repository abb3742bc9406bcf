/** Links of an issue to tickets and pages elsewhere, and bookmarks of issues. */
import { z } from 'zod'
import { visibleLine } from '../../visible-text.ts'

const urlCharactersMax = 2_000
const titleCharactersMax = 200

const PageUrl = z
  .string()
  .trim()
  .min(1)
  .max(urlCharactersMax)
  .refine(isPageUrl, 'must be a URL with http or https, without a user name or password')

/** Other schemes, such as javascript:, would run code in the page that shows the link. */
function isPageUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

export const NewIssueLink = z
  .strictObject({
    url: PageUrl,
    title: visibleLine(titleCharactersMax).optional(),
  })
  .meta({
    id: 'NewIssueLink',
    example: { url: 'https://tickets.example.com/SHOP-77', title: 'SHOP-77' },
  })
export type NewIssueLink = z.infer<typeof NewIssueLink>

export const IssueLink = z
  .object({ id: z.string(), url: z.string(), title: z.string().nullable(), created_at: z.string() })
  .meta({
    id: 'IssueLink',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e33',
      url: 'https://tickets.example.com/SHOP-77',
      title: 'SHOP-77',
      created_at: '2026-11-20T08:15:03.000Z',
    },
  })
export type IssueLink = z.infer<typeof IssueLink>
