// Words that several pages use.
import { messages } from '@shared/i18n'

export const t = messages({
  zh: {
    brand: '开闸',
    sales: '场次', orders: '订单', points: '积分', account: '我的', login: '登录', register: '注册', logout: '退出登录',
    skip: '跳到正文', language: 'English', to_language: '切换到英文',
    theme_light: '浅色', theme_dark: '深色', theme_auto: '跟随系统', theme: '外观：{name}',
    offline: '网络已断开。页面会在恢复后自动刷新，已提交的请求不会丢失。',
    login_ended: '登录已失效，请重新登录。',
    retry: '重试', loading: '加载中…', load_failed: '没能加载。网络或服务暂时不可用。', more: '更多', back: '返回',
    footer: '准点开售，先到先得，每件只卖一次。', day: '{n} 天',
    unit_points: '{n} 积分', free: '免费', cancel: '取消', confirm: '确定', close: '关闭', missing: '没有这个页面', home: '回到场次',
    s_queued: '已占位', s_unpaid: '待支付', s_paid: '已支付', s_refunding: '退款中', s_refunded: '已退款', s_closed: '已关闭', s_failed: '未成功',
  },
  en: {
    brand: 'Floodgate',
    sales: 'Sales', orders: 'Orders', points: 'Points', account: 'Account', login: 'Log in', register: 'Sign up', logout: 'Log out',
    skip: 'Skip to content', language: '中文', to_language: 'Switch to Chinese',
    theme_light: 'light', theme_dark: 'dark', theme_auto: 'as the system', theme: 'Appearance: {name}',
    offline: 'You are offline. The page catches up by itself; nothing you sent is lost.',
    login_ended: 'Your log-in has ended. Please log in again.',
    retry: 'Try again', loading: 'Loading…', load_failed: 'This could not be loaded. The network or the shop is away.', more: 'More', back: 'Back',
    footer: 'Opens on time. First come, first served. Every unit is sold once.', day: '{n} d',
    unit_points: '{n} points', free: 'Free', cancel: 'Cancel', confirm: 'Confirm', close: 'Close', missing: 'There is no such page', home: 'Back to the sales',
    s_queued: 'Reserved', s_unpaid: 'To pay', s_paid: 'Paid', s_refunding: 'Refunding', s_refunded: 'Refunded', s_closed: 'Closed', s_failed: 'Not made',
  },
})
