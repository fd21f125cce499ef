import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A small shop: catalogue, customers, orders, caches and workers, as a service keeps them. Prints "ready", waits for input. */
public class Shop {
    enum State { OPEN, PAID, SHIPPED, RETURNED }

    static abstract class Item {
        final String sku;
        final String name;
        final BigDecimal price;
        final Map<String, String> attributes = new LinkedHashMap<>();

        Item(String sku, String name, BigDecimal price) {
            this.sku = sku;
            this.name = name;
            this.price = price;
        }
    }

    static class Book extends Item {
        final String author;
        final int pages;

        Book(String sku, String name, BigDecimal price, String author, int pages) {
            super(sku, name, price);
            this.author = author;
            this.pages = pages;
        }
    }

    static class Tool extends Item {
        final double[] dimensions = new double[3];
        final byte[] picture;

        Tool(String sku, String name, BigDecimal price, byte[] picture) {
            super(sku, name, price);
            this.picture = picture;
        }
    }

    static class Customer {
        final long id;
        final String name;
        final String city;
        final List<Order> orders = new ArrayList<>();
        Customer referredBy;

        Customer(long id, String name, String city) {
            this.id = id;
            this.name = name;
            this.city = city;
        }
    }

    static class Line {
        final Item item;
        final int quantity;

        Line(Item item, int quantity) {
            this.item = item;
            this.quantity = quantity;
        }
    }

    static class Order {
        final long number;
        final Customer customer;
        final Line[] lines;
        final LocalDate day;
        State state = State.OPEN;

        Order(long number, Customer customer, Line[] lines, LocalDate day) {
            this.number = number;
            this.customer = customer;
            this.lines = lines;
            this.day = day;
        }
    }

    private static final String[] CITIES = {"Aarhus", "Bergen", "Cork", "Delft", "Essen", "Faro", "Gdansk", "Hull"};
    private static final String[] WORDS = {"oak", "steel", "blue", "travel", "garden", "winter", "pocket", "history", "hammer"};

    final Map<String, Item> catalogue = new HashMap<>();
    final Map<Long, Customer> customers = new ConcurrentHashMap<>();
    final TreeMap<LocalDate, List<Order>> byDay = new TreeMap<>();
    final Map<String, Function<Order, Object>> columns = new HashMap<>();
    final List<Predicate<Order>> rules = new ArrayList<>();
    final ArrayDeque<Order> queue = new ArrayDeque<>();
    final Map<String, Integer> searches = new HashMap<>();
    final int[] sales = new int[366];
    List<Map.Entry<String, Long>> report;

    void fill(int size) {
        Random random = new Random(7);
        for (int i = 0; i < size; i++) {
            String name = WORDS[random.nextInt(9)] + " " + WORDS[random.nextInt(9)];
            BigDecimal price = BigDecimal.valueOf(random.nextInt(10_000), 2);
            Item item = random.nextInt(3) > 0
                ? new Book("B" + i, name, price, "Author " + random.nextInt(40), random.nextInt(900))
                : new Tool("T" + i, name, price, new byte[random.nextInt(200)]);
            item.attributes.put("colour", new String(WORDS[random.nextInt(9)]));
            item.attributes.put("weight", Integer.toString(random.nextInt(5000)));
            catalogue.put(item.sku, item);
        }
        List<Item> items = new ArrayList<>(catalogue.values());
        List<Customer> all = new ArrayList<>();
        for (long i = 0; i < size / 2; i++) {
            Customer customer = new Customer(i, "Customer " + i, CITIES[random.nextInt(8)]);
            customer.referredBy = all.isEmpty() ? null : all.get(random.nextInt(all.size()));
            all.add(customer);
            customers.put(i, customer);
        }
        for (int i = 0; i < size; i++) {
            Line[] lines = new Line[1 + random.nextInt(4)];
            for (int line = 0; line < lines.length; line++) {
                lines[line] = new Line(items.get(random.nextInt(items.size())), 1 + random.nextInt(9));
            }
            LocalDate day = LocalDate.ofYearDay(2025, 1 + random.nextInt(365));
            Customer customer = all.get(random.nextInt(all.size()));
            Order order = new Order(i, customer, lines, day);
            order.state = State.values()[random.nextInt(4)];
            customer.orders.add(order);
            byDay.computeIfAbsent(day, key -> new ArrayList<>()).add(order);
            sales[day.getDayOfYear()]++;
            if (order.state == State.OPEN) {
                queue.add(order);
            }
            searches.merge(WORDS[random.nextInt(9)] + random.nextInt(300), 1, Integer::sum);
        }
        columns.put("number", order -> order.number);
        columns.put("customer", order -> order.customer.name);
        columns.put("city", order -> order.customer.city);
        columns.put("total", order -> java.util.Arrays.stream(order.lines).map(line -> line.item.price).reduce(BigDecimal::add));
        rules.add(order -> order.lines.length > 2);
        rules.add(order -> order.day.isAfter(LocalDate.of(2025, 6, 1)));
        Pattern pattern = Pattern.compile("C[a-z]+|G.*k");
        rules.add(order -> pattern.matcher(order.customer.city).matches());
        report = byDay.values().stream().flatMap(List::stream)
            .filter(rules.get(0).and(rules.get(1)).negate())
            .collect(Collectors.groupingBy(order -> order.customer.city, TreeMap::new, Collectors.counting()))
            .entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).collect(Collectors.toList());
    }

    void work(CountDownLatch started, Object lock) {
        ThreadLocal<StringBuilder> buffer = ThreadLocal.withInitial(StringBuilder::new);
        buffer.get().append(Thread.currentThread().getName());
        synchronized (lock) {
            started.countDown();
            try {
                lock.wait();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Shop shop = new Shop();
        shop.fill(args.length > 0 ? Integer.parseInt(args[0]) : 3000);
        int workers = 4;
        CountDownLatch started = new CountDownLatch(workers);
        ExecutorService pool = Executors.newFixedThreadPool(workers);
        Object lock = new Object();
        for (int i = 0; i < workers; i++) {
            pool.submit(() -> shop.work(started, lock));
        }
        Thread ticker = new Thread(() -> {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }, "price-ticker");
        ticker.setDaemon(true);
        ticker.start();
        started.await();
        System.out.println("ready " + shop.report.size() + " " + String.format("%,d", shop.catalogue.size()));
        System.in.read();
        System.exit(0);
    }
}
