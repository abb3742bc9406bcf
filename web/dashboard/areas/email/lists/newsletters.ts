import type { Choice } from '../../../design/forms/field.tsx'
import type { Reply } from '../../../http/request.ts'
import { type Read, useRead } from '../../../http/use-read.ts'

const list = 'GET /api/v1/organization/newsletters'

export function useNewsletters(): Read<Reply<typeof list>> {
  return useRead(list, {})
}

export function newsletterChoices(read: Read<Reply<typeof list>>): Choice[] {
  return (read.data?.items ?? []).map(({ slug, name }) => ({ value: slug, label: name }))
}
