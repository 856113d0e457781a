// The pages of the storefront. The server answers these addresses with the storefront's shell:
// src/api/web_pages.cpp has the same list.
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
    { path: '/:rest(.*)*', name: 'missing', component: () => import('./pages/Missing.vue') },
  ],
})

router.beforeEach((to) => {
  if (to.meta.login && !user.value) return { name: 'login', query: { then: to.fullPath } }
  return true
})
