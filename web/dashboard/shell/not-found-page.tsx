import { ButtonLink } from '../design/button.tsx'
import { Page } from '../design/content/page.tsx'
import { EmptyState } from '../design/content/states.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState icon="search" title="There is no page at this address">
        <p>The link may be old, or the item may have been deleted.</p>
        <ButtonLink href="/">Home</ButtonLink>
      </EmptyState>
    </Page>
  )
}
