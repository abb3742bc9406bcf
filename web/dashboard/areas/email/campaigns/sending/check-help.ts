/** What a person can do about a preflight check that found something. */
export interface CheckHelp {
  readonly label: string
  readonly href: string
}

interface Place {
  readonly campaignId: string
  readonly newsletter: string
}

export function checkHelp(name: string, { campaignId, newsletter }: Place): CheckHelp | undefined {
  const settings = `/email/newsletters/${encodeURIComponent(newsletter)}`
  const write = { label: 'Edit the email', href: `/email/campaigns/${campaignId}` }
  switch (name) {
    case 'audience':
      return {
        label: 'Show the contacts',
        href: `/email/contacts?newsletter=${encodeURIComponent(newsletter)}`,
      }
    case 'domain':
      return { label: 'Check the sending domain', href: '/email/domains' }
    case 'from':
      return { label: 'Change the sender', href: settings }
    case 'postal':
      return { label: 'Set the postal address', href: settings }
    case 'values':
    case 'links':
    case 'merge_tags':
    case 'source':
    case 'size':
    case 'text':
    case 'unsubscribe':
      return write
    default:
      return undefined
  }
}

const order = { error: 0, warning: 1, ok: 2 } as const

/** What stops sending first, then what is worth a look. */
export function sortChecks<T extends { readonly level: keyof typeof order }>(
  checks: readonly T[],
): T[] {
  return [...checks].sort((a, b) => order[a.level] - order[b.level])
}
