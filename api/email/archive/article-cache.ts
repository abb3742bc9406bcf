import type { ArchivedIssueSource } from '../../io/archive-store.ts'
import { type Article, composeArticle } from '../compose/compose-article.ts'

const charactersKeptMax = 8 * 1024 * 1024

/** Issues do not change once they are public, so each is composed once, and those asked for last are kept. */
export class ArticleCache {
  readonly #articles = new Map<string, Article>()
  #characterCount = 0

  of(issue: ArchivedIssueSource): Article {
    const key = `${issue.id} ${issue.updatedAt.getTime()}`
    const known = this.#articles.get(key)
    const article = known ?? composeArticle(issue)
    if (known === undefined) this.#characterCount += sizeOf(article)
    this.#articles.delete(key)
    this.#articles.set(key, article)
    this.#makeRoom()
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
