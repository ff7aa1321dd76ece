<!DOCTYPE html>
<html><body>
<?php
declare(strict_types=1);

namespace Example\Shapes;

use Example\Base;
use function Example\helper;
require_once __DIR__ . '/point.php';

const LIMIT = 100;

/**
 * A shape.
 */
#[Entity]
abstract class Shape extends Base implements \Countable
{
    use Resizable;

    public const SIDES = 4, EDGES = 4;
    private int $width = 1, $height;
    protected static ?Shape $last = null;

    public function __construct(private string $name) { $local = 1; }

    // Its area.
    abstract public function area(): float;

    public static function make(array $options = []): static
    {
        return new static($options);
    }
}

interface Measurable { public function measure(int $unit); }
trait Resizable { public function resize() {} }
enum Color: string {
    case Red = 'r';
    case Green = 'g';
    const FIRST = self::Red;
    public function label(): string { return $this->value; }
}

function draw(Shape ...$shapes) {
    function inner_draw() {}
}

if (!function_exists('old')) {
    function old() {}
}
?>
<p><?= draw() ?></p>
<?php
namespace Example\Other;
class Page {}
?>
</body></html>
