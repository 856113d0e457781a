// The pages of the storefront. The server answers these addresses with the storefront's shell:
// src/api/web_pages.cpp has the same list.
import { watch } from 'vue'
import { createRouter, createWebHistory } from 'vue-router'
import { user } from '@shared/session'

declare module 'vue-router' {
  interface RouteMeta {
    login?: boolean
  }
}

export const router = createRouter({
  history: createWebHistory(),
  scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
  routes: [
    { path: '/', name: 'home', component: () => import('./pages/Home.vue') },
    { path: '/sales/:id(\\d+)', name: 'sale', props: true, component: () => import('./pages/SalePage.vue') },
    { path: '/orders', name: 'orders', meta: { login: true }, component: () => import('./pages/Orders.vue') },
    { path: '/orders/:no(\\d+)', name: 'order', props: true, meta: { login: true }, component: () => import('./pages/OrderPage.vue') },
    { path: '/points', name: 'points', meta: { login: true }, component: () => import('./pages/Points.vue') },
    { path: '/account', name: 'account', meta: { login: true }, component: () => import('./pages/Account.vue') },
    { path: '/login', name: 'login', props: { mode: 'login' }, component: () => import('./pages/Entry.vue') },
    { path: '/register', name: 'register', props: { mode: 'register' }, component: () => import('./pages/Entry.vue') },
    { path: '/:rest(.*)*', name: 'missing', component: () => import('./pages/Missing.vue') },
  ],
})

router.beforeEach((to) => {
  if (to.meta.login && !user.value) return { name: 'login', query: { then: to.fullPath } }
  return true
})

// A log-in that ended, here or in another tab, leaves no private page on the screen.
watch(user, (who) => {
  const at = router.currentRoute.value
  if (!who && at.meta.login) void router.replace({ name: 'login', query: { then: at.fullPath } })
})
