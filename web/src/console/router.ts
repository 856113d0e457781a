// Which page is where, and which permission it needs: the menu shows only those.
import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { session, type Permission } from './session'
import type { Word } from './words'

declare module 'vue-router' {
  interface RouteMeta {
    needs?: Permission
    title?: Word
    /** The group of the menu; pages without one are reached from others. */
    group?: 'nav_watch' | 'nav_sell' | 'nav_after' | 'nav_run'
  }
}

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/live' },
  { path: '/live', meta: { needs: 'see', title: 'nav_live', group: 'nav_watch' }, component: () => import('./pages/Live.vue') },
  { path: '/alerts', meta: { needs: 'see', title: 'nav_alerts', group: 'nav_watch' }, component: () => import('./pages/Alerts.vue') },
  { path: '/sales', meta: { needs: 'see', title: 'nav_sales', group: 'nav_sell' }, component: () => import('./pages/Sales.vue') },
  { path: '/sales/:id(\\d+)', meta: { needs: 'see', title: 'sale' }, component: () => import('./pages/Sale.vue') },
  { path: '/rounds', meta: { needs: 'see', title: 'nav_rounds', group: 'nav_sell' }, component: () => import('./pages/Rounds.vue') },
  { path: '/products', meta: { needs: 'see', title: 'nav_products', group: 'nav_sell' }, component: () => import('./pages/Products.vue') },
  { path: '/orders', meta: { needs: 'assist', title: 'nav_orders', group: 'nav_after' }, component: () => import('./pages/Orders.vue') },
  { path: '/orders/:no(\\d+)', meta: { needs: 'assist', title: 'order' }, component: () => import('./pages/Order.vue') },
  { path: '/payments', meta: { needs: 'money', title: 'nav_payments', group: 'nav_after' }, component: () => import('./pages/Payments.vue') },
  { path: '/letters', meta: { needs: 'see', title: 'nav_letters', group: 'nav_after' }, component: () => import('./pages/Letters.vue') },
  { path: '/reconciliation', meta: { needs: 'see', title: 'nav_reconciliation', group: 'nav_after' }, component: () => import('./pages/Reconciliation.vue') },
  { path: '/points', meta: { needs: 'money', title: 'nav_points', group: 'nav_after' }, component: () => import('./pages/Points.vue') },
  { path: '/users', meta: { needs: 'assist', title: 'nav_users', group: 'nav_run' }, component: () => import('./pages/Users.vue') },
  { path: '/keys', meta: { needs: 'manage', title: 'nav_keys', group: 'nav_run' }, component: () => import('./pages/Keys.vue') },
  { path: '/health', meta: { needs: 'see', title: 'nav_health', group: 'nav_run' }, component: () => import('./pages/Health.vue') },
  { path: '/switches', meta: { needs: 'manage', title: 'nav_switches', group: 'nav_run' }, component: () => import('./pages/Switches.vue') },
  { path: '/audit', meta: { needs: 'manage', title: 'nav_audit', group: 'nav_run' }, component: () => import('./pages/Audit.vue') },
  { path: '/config', meta: { needs: 'manage', title: 'nav_config', group: 'nav_run' }, component: () => import('./pages/Config.vue') },
  { path: '/:rest(.*)*', redirect: '/' },
]

export const router = createRouter({ history: createWebHistory('/console'), routes })

/** The first page that this person may see. */
export function first_page(): string {
  const found = routes.find((r) => r.meta?.group && (!r.meta.needs || session.can(r.meta.needs)))
  return found?.path ?? '/'
}

router.beforeEach((to) => {
  if (!session.person) return true // App shows the log-in first
  const needs = to.meta.needs
  if (needs && !session.can(needs) && to.path !== first_page()) return first_page()
  return true
})
