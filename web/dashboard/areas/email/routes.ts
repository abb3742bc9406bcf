import { type AreaRoute, pageRoute } from '../route.ts'

const newsletterRoutes: readonly AreaRoute[] = [
  pageRoute('/email/newsletters', () =>
    import('./newsletters/newsletters-page.tsx').then((page) => page.NewslettersPage),
  ),
  pageRoute('/email/newsletters/:slug', () =>
    import('./newsletters/newsletter-page.tsx').then((page) => page.NewsletterPage),
  ),
]

const campaignRoutes: readonly AreaRoute[] = [
  pageRoute('/email/campaigns', () =>
    import('./campaigns/campaigns-page.tsx').then((page) => page.CampaignsPage),
  ),
  pageRoute('/email/campaigns/:campaign_id', () =>
    import('./campaigns/campaign-page.tsx').then((page) => page.CampaignPage),
  ),
]

export const emailRoutes: readonly AreaRoute[] = [...campaignRoutes, ...newsletterRoutes]
