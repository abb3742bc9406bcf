import { type AreaRoute, pageRoute } from '../route.ts'

/** Pages of contacts, suppressions, bounces, sending domains and the send log. */
export const contactRoutes: readonly AreaRoute[] = [
  pageRoute('/email/contacts', () =>
    import('./contacts/contacts-page.tsx').then((page) => page.ContactsPage),
  ),
  pageRoute('/email/contacts/import', () =>
    import('./imports/imports-page.tsx').then((page) => page.ImportsPage),
  ),
  pageRoute('/email/contacts/import/:import_id', () =>
    import('./imports/import-page.tsx').then((page) => page.ImportPage),
  ),
  pageRoute('/email/contacts/:contact_id', () =>
    import('./contacts/contact-page.tsx').then((page) => page.ContactPage),
  ),
  pageRoute('/email/suppressions', () =>
    import('./suppressions/suppressions-page.tsx').then((page) => page.SuppressionsPage),
  ),
  pageRoute('/email/bounces', () =>
    import('./bounces/bounces-page.tsx').then((page) => page.BouncesPage),
  ),
  pageRoute('/email/domains', () =>
    import('./domains/domains-page.tsx').then((page) => page.DomainsPage),
  ),
  pageRoute('/email/domains/:id', () =>
    import('./domains/domain-page.tsx').then((page) => page.DomainPage),
  ),
  pageRoute('/email/sends', () => import('./sends/sends-page.tsx').then((page) => page.SendsPage)),
  pageRoute('/email/sends/:id', () =>
    import('./sends/send-page.tsx').then((page) => page.SendPage),
  ),
  pageRoute('/email/settings', () =>
    import('./settings/email-settings-page.tsx').then((page) => page.EmailSettingsPage),
  ),
]
