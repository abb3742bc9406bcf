import { useNewsletters } from './newsletters.ts'

/** The name of a newsletter, and its slug until the name is known. */
export function NewsletterName({ slug }: { readonly slug: string }) {
  const { data } = useNewsletters()
  return <>{data?.items.find((one) => one.slug === slug)?.name ?? slug}</>
}
