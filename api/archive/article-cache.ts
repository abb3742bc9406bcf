import type { Article } from '../compose/compose-article.ts'
import type { Composer } from '../compose/composer.ts'
import type { ArchivedCampaignSource } from './archive-store.ts'

const charactersKeptMax = 8 * 1024 * 1024

/**
 * Caches composed articles. Public campaigns do not change, so each is composed once, also for
 * concurrent requests. The least recently used articles are evicted.
 */
export class ArticleCache {
  readonly #composer: Composer
  readonly #articles = new Map<string, Article>()
  readonly #composing = new Map<string, Promise<Article>>()
  #characterCount = 0

  constructor(composer: Composer) {
    this.#composer = composer
  }

  async of(newsletterId: string, campaign: ArchivedCampaignSource): Promise<Article> {
    const key = `${campaign.id} ${campaign.updatedAt.getTime()}`
    const known = this.#articles.get(key)
    if (known === undefined) return await this.#compose(key, newsletterId, campaign)
    this.#articles.delete(key)
    this.#articles.set(key, known)
    return known
  }

  #compose(key: string, newsletterId: string, campaign: ArchivedCampaignSource): Promise<Article> {
    const running = this.#composing.get(key)
    if (running !== undefined) return running
    const article = this.#composer
      .article(newsletterId, campaign)
      .then((composed) => {
        this.#articles.set(key, composed)
        this.#characterCount += sizeOf(composed)
        this.#makeRoom()
        return composed
      })
      .finally(() => this.#composing.delete(key))
    this.#composing.set(key, article)
    return article
  }

  #makeRoom(): void {
    for (const [key, article] of this.#articles) {
      if (this.#characterCount <= charactersKeptMax || this.#articles.size === 1) return
      this.#articles.delete(key)
      this.#characterCount -= sizeOf(article)
    }
  }
}

function sizeOf({ body, css }: Article): number {
  return body.length + css.length
}
