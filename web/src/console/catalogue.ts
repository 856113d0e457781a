// Products and rounds by number, for lists that name them. Read when a page that needs them opens.
import { reactive } from 'vue'
import { get, type Schema } from './api'
import { t } from './words'

export const catalogue = reactive({
  products: [] as Schema<'Product'>[],
  rounds: [] as Schema<'Round'>[],
  product(id: number): string {
    return catalogue.products.find((p) => p.id === id)?.title ?? `${t('product')} ${id}`
  },
})

export async function load_catalogue(): Promise<void> {
  const [products, rounds] = await Promise.all([
    get('/api/v1/admin/products', { query: { limit: 500 } }),
    get('/api/v1/admin/rounds', { query: { limit: 500 } }),
  ])
  catalogue.products = products.products
  catalogue.rounds = rounds.rounds
}
